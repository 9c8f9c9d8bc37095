/** Whether words stand one after the other: `positions` are those of the first word, the next … */
export function followsEachOther(positions: readonly Uint32Array[]): boolean {
  const at = positions.map(() => 0);
  for (const first of positions[0]) {
    let follows = true;
    for (let word = 1; word < positions.length && follows; word++) {
      const places = positions[word];
      while (at[word] < places.length && places[at[word]] < first + word) at[word]++;
      follows = places[at[word]] === first + word;
    }
    if (follows) return true;
  }
  return false;
}
