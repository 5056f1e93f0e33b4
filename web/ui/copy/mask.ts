/** The masked form of a secret: enough to tell two apart. */

export const REVEAL_SECONDS = 30;

export function maskSecret(value: string): string {
  if (value.length < 12) return '•'.repeat(8);
  return `${value.slice(0, 4)}…${value.slice(-4)}`;
}
