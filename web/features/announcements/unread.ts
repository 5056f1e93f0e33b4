/** Which announcements were seen in this browser. A changed one counts as new. */
import type { Announcement } from '#contract/admin/announcements.ts';

type Seen = Pick<Announcement, 'id' | 'updated_at'>;

export const SEEN_KEY = 'announcements-seen';

const markOf = ({ id, updated_at }: Seen) => `${id}:${updated_at}`;

export function readSeen(text: string | null): string[] {
  try {
    const list: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(list) ? list.filter((mark) => typeof mark === 'string') : [];
  } catch {
    return [];
  }
}

export function unreadOf<Item extends Seen>(shown: readonly Item[], seen: readonly string[]): Item[] {
  return shown.filter((item) => !seen.includes(markOf(item)));
}

/** Only what is shown now is remembered, so that the list does not grow. */
export function seenAfter(shown: readonly Seen[]): string[] {
  return shown.map(markOf);
}
