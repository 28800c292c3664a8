//! Checks the exercises of the chapter on published models.

use super::letters;

checks! {
    exercise_2: every_byte_has_a_letter_of_its_own
}

fn every_byte_has_a_letter_of_its_own() {
    let letters = letters();
    assert_eq!(letters.len(), 256, "there are 256 bytes");
    assert_eq!(letters[usize::from(b'A')], 'A', "A stands for itself");
    assert_eq!(letters[0], 'Ā', "byte 0 gets character 256");
    let space = letters[usize::from(b' ')];
    assert_eq!(space, 'Ġ', "32 bytes cannot be seen before the space");
    assert_eq!(letters[127], 'ġ', "byte 127 is the next after the space");
    assert_eq!(letters[173], 'Ń', "byte 173 is the last that cannot be seen");
    assert_eq!(letters[255], 'ÿ', "byte 255 stands for itself");
    let mut sorted = letters.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), 256, "no two bytes have one letter");
}
