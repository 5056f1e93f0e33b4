// Numbers that look random and are the same in every run: data for a test, not chance. Chance is in random.ts.

/** The same whole numbers for the same start. */
export function randomSource(start: number): (below: number) => number {
  let state = (start % 2_147_483_646) + 1;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}
