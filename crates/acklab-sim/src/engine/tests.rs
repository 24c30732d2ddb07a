//! The engine against closed forms, conservation laws and itself.

use super::dumbbell::Dumbbell;
use super::window::{Window, WindowConfig};
use super::*;

static GO: AtomicBool = AtomicBool::new(false);

fn run(plan: &Plan, config: WindowConfig) -> RunResult {
    run_with(plan, 1, &GO, |_| Window::new(config)).unwrap()
}

#[test]
fn a_window_larger_than_the_pipe_fills_the_bottleneck() {
    let r = run(&Dumbbell::default().plan(), WindowConfig::default());
    assert!(r.links[0].utilisation > 0.98, "{}", r.links[0].utilisation);
}
