//! Proof that `acklab-proto` and `acklab-path` need no operating system.
//!
//! This library brings its own panic handler and its own allocator. If anything that it links
//! pulled in `std`, which has a panic handler too, it would not compile.

#![no_std]

use acklab_path as _;
use acklab_proto as _;
use core::alloc::{GlobalAlloc, Layout};

struct NoMemory;

// SAFETY: it never hands out memory, which an allocator may always do.
unsafe impl GlobalAlloc for NoMemory {
    unsafe fn alloc(&self, _: Layout) -> *mut u8 {
        core::ptr::null_mut()
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[global_allocator]
static MEMORY: NoMemory = NoMemory;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
