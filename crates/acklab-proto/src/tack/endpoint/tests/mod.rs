//! Two endpoints and what lies between them.

mod closing;
mod controllers;
mod feedback;
mod hostile;
mod model;
mod reordered;
mod world;
