/** Which toasts leave for a new one, so that the newest is always seen. */
export interface ShownToast {
  id: string;
  /** Undefined for toasts that are more than a sentence. */
  text: string | undefined;
}

export const MOST_TOASTS = 3;

/** The same sentence again replaces the earlier one; beyond the most, the oldest leave. */
export function leavingFor(text: string | undefined, shown: readonly ShownToast[]): string[] {
  const repeated = shown.filter((each) => text !== undefined && each.text === text);
  const others = shown.filter((each) => !repeated.includes(each));
  const oldest = others.slice(0, Math.max(0, others.length + 1 - MOST_TOASTS));
  return [...repeated, ...oldest].map(({ id }) => id);
}
