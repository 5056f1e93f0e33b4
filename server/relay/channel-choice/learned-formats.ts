// Remembers what an upstream refused, so that later calls are converted at once: formats, until a test of the channel learns
// anew, and what single models refused, for a day. Kept in the channel's row for every node; a new address learns anew.
import type { Log } from '#contract/context.ts';
import { unixSeconds } from '#contract/time.ts';
import type { Format } from '#server/models/providers/provider.ts';
import { refusedIn } from '#server/models/providers/spoken.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { Channel } from './catalog.ts';
import { addLesson, LESSON_SECONDS, lessonsIn, type Lesson } from './lessons.ts';
import { spokenFormat } from './select.ts';
import { changeChannel } from './write.ts';

export interface LearnedFormats {
  /** The upstream refused the format and answered in another. */
  refused(channel: Channel, format: Format): void;
  /** The upstream refused something for the model, and answered without it. */
  taught(channel: Channel, model: string, lesson: Lesson): void;
}

export function createLearnedFormats(store: Store, log: Log): LearnedFormats {
  const waiting = new Map<number, ChangeOf[]>();
  /** One write at a time for each channel; what comes meanwhile follows in the next. */
  const write = (id: number, changeOf: ChangeOf): void => {
    const others = waiting.get(id);
    if (others !== undefined) {
      // Under load many calls meet the same refusal; what is left out is learned again.
      if (others.length < MOST_WAITING) others.push(changeOf);
      return;
    }
    const queue = [changeOf];
    waiting.set(id, queue);
    const writeAll = async (): Promise<void> => {
      for (let next = queue.splice(0); next.length > 0; next = queue.splice(0))
        await remember(store, id, next);
    };
    writeAll()
      .catch((error: unknown) => log.error('a refusal could not be stored', { channel_id: id, error }))
      .finally(() => waiting.delete(id));
  };
  return {
    refused({ id }, format) {
      write(id, ({ refused_formats: before }) => ({
        refused_formats: [...new Set([...refusedIn(before), format])].join(','),
      }));
      log.info('an upstream refused a format; calls are converted from now on', { channel_id: id, format });
    },
    taught({ id }, model, lesson) {
      write(id, ({ lessons }) => {
        const now = unixSeconds();
        const added = { model, lesson, until: now + LESSON_SECONDS };
        return { lessons: JSON.stringify(addLesson(lessonsIn(lessons), added, now)) };
      });
      log.info('an upstream taught what a model refuses', { channel_id: id, model, lesson });
    },
  };
}

type Learned = Pick<Row<'channels'>, 'refused_formats' | 'lessons'>;
type ChangeOf = (row: Learned) => Partial<Learned>;

const MOST_WAITING = 50;

async function remember(store: Store, id: number, changes: readonly ChangeOf[]): Promise<void> {
  await store.db.transaction().execute(async (transaction) => {
    const row = await transaction
      .selectFrom('channels')
      .select(['refused_formats', 'lessons'])
      .where('id', '=', id)
      .executeTakeFirst();
    if (row === undefined) return;
    let learned: Learned = row;
    for (const changeOf of changes) learned = { ...learned, ...changeOf(learned) };
    await changeChannel(transaction, id, learned);
  });
  await store.changes.announce('channels', String(id));
}

/** The channel without a format; undefined when the call could not be converted to another. */
export function withoutFormat(
  channel: Channel,
  refused: Format,
  wanted: { format: Format; model: string },
): Channel | undefined {
  const rest = { ...channel, refusedFormats: new Set([...channel.refusedFormats, refused]) };
  const spoken = spokenFormat(rest, wanted.format, wanted.model);
  return spoken === undefined || spoken === refused ? undefined : rest;
}
