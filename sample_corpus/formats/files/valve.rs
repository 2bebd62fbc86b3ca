/// A butterfly valve with a slow actuator.
pub struct Valve {
    opening: f32,
}

impl Valve {
    /// Never moves faster than a quarter turn every two seconds.
    pub fn close(&mut self, seconds: f32) {
        self.opening -= 0.125 * seconds;
    }
}
