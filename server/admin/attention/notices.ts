// Notices from the list of what needs a person: one for each occurrence of an item, and another one when its fact changes, as a snooze
// ends then. Only of kinds that nothing else reports.
import { ATTENTION_KINDS } from '#contract/admin/attention-kinds.ts';
import { ATTENTION_NOTICE_EVENTS, type AttentionNoticeEvent } from '#contract/admin/notice-events.ts';
import {
  endOccurrence,
  openOccurrences,
  raiseNotice,
  type OpenOccurrence,
} from '#server/platform/notices/index.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import type { AttentionDependencies } from './dependencies.ts';
import type { Found } from './found.ts';
import type { Watch } from './watch.ts';

/** What comes and goes, as a disk at its limit, is one occurrence. */
const GONE_SECONDS = 3600;
const PREFIX = 'attention:';

/** Each node finds these about itself; all others are the same for every node. */
const OF_THE_NODE: ReadonlySet<string> = new Set<AttentionNoticeEvent>(['writes_fail', 'check_late']);

type Reported = Found & { kind: AttentionNoticeEvent };

const isReported = (item: Found): item is Reported =>
  (ATTENTION_NOTICE_EVENTS as readonly string[]).includes(item.kind);

export function createAttentionNotices(
  dependencies: AttentionDependencies,
  watch: Watch,
): { run(): Promise<void> } {
  const { store, nodeId } = dependencies;
  /** By key. What was found while the database could not be written is said when it can, also when it is over by then. */
  const unwritten = new Map<string, Reported>();
  /** By key: since when the item of an open occurrence has not been found. */
  const goneSince = new Map<string, number>();

  const prefixOf = (kind: string) => `${PREFIX}${OF_THE_NODE.has(kind) ? nodeId : ''}:${kind}:`;
  const keyOf = ({ kind, id, mark }: Reported) => `${prefixOf(kind)}${id}:${mark}`;

  /** Of kinds whose check ran lately: of the others nobody knows whether their items are gone. */
  function knownPrefixes(): string[] {
    const unknown = new Set<string>(
      watch.states().flatMap(({ name, isLate, ranAt }) => (isLate || ranAt === 0 ? [name] : [])),
    );
    return ATTENTION_NOTICE_EVENTS.filter((kind) => !unknown.has(ATTENTION_KINDS[kind].check)).map(prefixOf);
  }

  async function endGone(open: readonly OpenOccurrence[], present: ReadonlySet<string>): Promise<void> {
    const now = nowSeconds(dependencies);
    const prefixes = knownPrefixes();
    for (const { id, key } of open) {
      const isGone = !present.has(key) && prefixes.some((prefix) => key.startsWith(prefix));
      if (!isGone) {
        goneSince.delete(key);
        continue;
      }
      const since = goneSince.get(key) ?? now;
      goneSince.set(key, since);
      if (now - since < GONE_SECONDS) continue;
      await endOccurrence(store.db, id);
      goneSince.delete(key);
    }
  }

  return {
    async run() {
      const found = watch.items.filter(isReported).map((item) => [keyOf(item), item] as const);
      for (const [key, item] of found) unwritten.set(key, item);
      const open = await openOccurrences(store.db, PREFIX);
      const openKeys = new Set(open.map(({ key }) => key));
      for (const [key, { kind: event, values, address }] of unwritten) {
        if (!openKeys.has(key))
          await raiseNotice(store.db, { event, values: { values, address }, onceKey: key });
        unwritten.delete(key);
      }
      await endGone(open, new Set(found.map(([key]) => key)));
    },
  };
}
