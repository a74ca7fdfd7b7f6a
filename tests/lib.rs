//! The test harness: a branch in this process on port 0, and clients that speak HTTP to it. Never listens beyond loopback.
