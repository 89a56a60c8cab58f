//! How many bytes a tracked entity costs: counted by the allocator, with no heap in its fields.
#![allow(unsafe_code, reason = "an allocator")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use diesel::SqliteConnection;
use diesel_versioned::UnitOfWork;
use diesel_versioned_benches::product::Product;
use diesel_versioned_benches::rounds::report;
use diesel_versioned_benches::stage::Stage;

struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn grow(size: usize) {
    PEAK.fetch_max(LIVE.fetch_add(size, Relaxed) + size, Relaxed);
}

// SAFETY: every call is the system allocator's own.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: as the caller promised.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as the caller promised.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        LIVE.fetch_sub(layout.size(), Relaxed);
        grow(size);
        // SAFETY: as the caller promised.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() {
    let entity = size_of::<Product>();
    let bound = 2 * entity + 64;
    println!("one `Product` is {entity} bytes");
    println!(
        "{:<64} {:>8} {:>8}",
        "bytes per tracked entity", "measured", "bound"
    );
    // Just before and just after a map grows.
    for count in [10_000, 14_000, 15_000, 100_000, 115_000] {
        let mut conn = Stage::<SqliteConnection>::new(count).conn;
        let mut unit = UnitOfWork::<SqliteConnection>::new();
        let before = LIVE.load(Relaxed);
        let per_entity = |bytes: usize| (bytes - before) as f64 / count as f64;

        let mut handles = Vec::new();
        for id in (1..).take(count) {
            let mut row = Product::new(id);
            row.name = String::new();
            handles.push(unit.attach(row).expect("each row once"));
        }
        let handles_size = handles.capacity() * size_of_val(&handles[0]);
        for &handle in &handles {
            let row = &mut unit[handle];
            row.price_cents += 1;
            row.stock += 1;
            row.reserved += 1;
        }
        let tracked = per_entity(LIVE.load(Relaxed) - handles_size);
        PEAK.store(LIVE.load(Relaxed), Relaxed);
        let done = unit.commit(&mut conn).expect("nobody else writes");
        let peak = per_entity(PEAK.load(Relaxed) - handles_size);
        drop(done);
        let bound = bound as f64;
        report(
            &format!("{count} changed entities"),
            tracked,
            bound,
            tracked <= bound,
        );
        println!(
            "{:<64} {peak:>8.2}",
            "    while they are committed, at most"
        );
    }
}
