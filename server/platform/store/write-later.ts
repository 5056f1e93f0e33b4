// Writes counters in the background: the first change after a write arms a timer, so an idle process has none. One write at
// a time. What cannot be written stays with its owner and is tried again.

export interface LaterWrite {
  /** Something is to be written. */
  changed(): void;
  /** Writes what is there now; never rejects. */
  flush(): Promise<void>;
}

export function writeLater(
  write: () => Promise<void>,
  onError: (error: unknown) => void,
  afterMilliseconds: number,
): LaterWrite {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running = Promise.resolve();

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    running = running.then(write).catch(onError);
    return running;
  }

  return {
    changed() {
      if (timer !== undefined) return;
      timer = setTimeout(() => void flush(), afterMilliseconds);
      timer.unref();
    },
    flush,
  };
}
