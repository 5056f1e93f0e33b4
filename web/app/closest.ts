/** The pages whose addresses are nearest to a mistyped one. */

/** Edit distance, small words only. */
export function distance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}

/** By address or by name: the dashboard is `/detail`, and people type `/dashboard`. */
export function closest<Item extends { name: string; path: string }>(
  items: readonly Item[],
  pathname: string,
  count = 3,
): Item[] {
  const wanted = pathname.toLowerCase().slice(0, 60);
  const score = (path: string) =>
    wanted.startsWith(path) && path !== '/' ? 0 : distance(path, wanted) / path.length;
  const best = ({ name, path }: Item) => Math.min(score(path), score(`/${name}`));
  return items.toSorted((left, right) => best(left) - best(right)).slice(0, count);
}
