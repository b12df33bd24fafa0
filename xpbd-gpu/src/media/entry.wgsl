fn write_entry(number: u32, i: u32, place: u32) {
    work[ENTRIES + number] = i;
}
