// Work in a number of places, first come, first served. What takes all places runs alone.

export function createPlaces(total) {
  const waiting = [];
  let free = total;
  const admit = () => {
    while (waiting.length > 0 && waiting[0].count <= free) {
      const { count, start } = waiting.shift();
      free -= count;
      start();
    }
  };
  return {
    total,
    /** Runs the work when `count` places are free, and resolves with its result. What takes none does not wait. */
    async use(count, work) {
      if (count === 0) return await work();
      await new Promise((start) => {
        waiting.push({ count: Math.min(count, total), start });
        admit();
      });
      try {
        return await work();
      } finally {
        free += Math.min(count, total);
        admit();
      }
    },
  };
}
