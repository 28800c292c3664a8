//! What a row of a table is made of.

/// A cell of a row, or several: a text, a number, an array or a tuple of
/// them. Nothing is an empty cell.
pub trait Cells {
    /// Puts these cells at the end of a row.
    fn put(&self, row: &mut Vec<String>);
}

macro_rules! single {
    ($($t:ty)*) => {
        $(impl Cells for $t {
            fn put(&self, row: &mut Vec<String>) {
                row.push(self.to_string());
            }
        })*
    };
}

single!(str String char f32 f64 i8 i32 u8 u32 u64 usize);

impl<T: Cells + ?Sized> Cells for &T {
    fn put(&self, row: &mut Vec<String>) {
        (**self).put(row);
    }
}

impl<T: Cells> Cells for [T] {
    fn put(&self, row: &mut Vec<String>) {
        self.iter().for_each(|cells| cells.put(row));
    }
}

impl<T: Cells, const N: usize> Cells for [T; N] {
    fn put(&self, row: &mut Vec<String>) {
        self[..].put(row);
    }
}

impl<T: Cells> Cells for Vec<T> {
    fn put(&self, row: &mut Vec<String>) {
        self[..].put(row);
    }
}

impl Cells for () {
    fn put(&self, row: &mut Vec<String>) {
        row.push(String::new());
    }
}

impl<T: Cells> Cells for Option<T> {
    fn put(&self, row: &mut Vec<String>) {
        match self {
            Some(cell) => cell.put(row),
            None => ().put(row),
        }
    }
}

macro_rules! tuples {
    ($(($($t:ident $i:tt),*))*) => {
        $(impl<$($t: Cells),*> Cells for ($($t,)*) {
            fn put(&self, row: &mut Vec<String>) {
                $(self.$i.put(row);)*
            }
        })*
    };
}

tuples! {
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
}
