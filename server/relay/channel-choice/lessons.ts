// What one model behind one channel was seen to refuse, and how calls get round it: an endpoint, function tools on Chat, a
// field, an effort. A lesson is kept in the channel's row for every node, and ends by itself after a day, because upstreams
// change.
import { unixSeconds } from '#contract/time.ts';
import { isObject, list, text } from '#server/models/formats/json.ts';

export type Lesson =
  /** The model is not served in this format. */
  | { readonly kind: 'format'; readonly format: 'openai-chat' | 'openai-responses' }
  /** Chat refuses function tools while the model reasons; `isAsked`: only when the request names an effort. */
  | { readonly kind: 'tools'; readonly isAsked: boolean }
  /** The field is refused beside this effort; `instead` names the field that takes its value, or is empty. */
  | { readonly kind: 'field'; readonly field: string; readonly instead: string; readonly effort: string }
  /** The model takes these efforts only. */
  | { readonly kind: 'efforts'; readonly accepted: readonly string[] };

export interface KeptLesson {
  /** The upstream's name. */
  readonly model: string;
  readonly lesson: Lesson;
  /** Unix seconds. */
  readonly until: number;
}

export const LESSON_SECONDS = 24 * 3600;
const MOST_LESSONS = 500;
const NONE: readonly KeptLesson[] = [];

/** As in the column `lessons`; what cannot be read was not learned. */
export function lessonsIn(column: string): readonly KeptLesson[] {
  if (column === '') return NONE;
  try {
    return list(JSON.parse(column)).flatMap((each) => keptIn(each) ?? []);
  } catch {
    return NONE;
  }
}

function keptIn(value: unknown): KeptLesson | undefined {
  if (!isObject(value)) return undefined;
  const { model, until, lesson } = value;
  const read = isObject(lesson) ? lessonIn(lesson) : undefined;
  if (typeof model !== 'string' || typeof until !== 'number' || read === undefined) return undefined;
  return { model, until, lesson: read };
}

function lessonIn(value: Record<string, unknown>): Lesson | undefined {
  const { kind, format } = value;
  switch (kind) {
    case 'format':
      return format === 'openai-chat' || format === 'openai-responses' ? { kind, format } : undefined;
    case 'tools':
      return { kind, isAsked: value['isAsked'] === true };
    case 'field':
      return {
        kind,
        field: text(value['field']),
        instead: text(value['instead']),
        effort: text(value['effort']),
      };
    case 'efforts':
      return { kind, accepted: list(value['accepted']).filter((each) => typeof each === 'string') };
    default:
      return undefined;
  }
}

const isSame = (left: Lesson, right: Lesson): boolean => JSON.stringify(left) === JSON.stringify(right);

/** With one more, without those that ended. */
export function addLesson(
  kept: readonly KeptLesson[],
  added: KeptLesson,
  nowSeconds: number,
): readonly KeptLesson[] {
  const rest = kept.filter(
    ({ model, lesson, until }) =>
      until > nowSeconds && !(model === added.model && isSame(lesson, added.lesson)),
  );
  return [...rest, added].slice(-MOST_LESSONS);
}

/** The lessons of a model that hold now. */
export const lessonsOf = ({ lessons }: Taught, model: string): readonly Lesson[] =>
  lessons.length === 0 ? NO_LESSONS : holding(lessons, model);

function holding(lessons: readonly KeptLesson[], model: string): readonly Lesson[] {
  const now = Date.now() / 1000;
  return lessons.filter((each) => each.model === model && each.until > now).map(({ lesson }) => lesson);
}

interface Taught {
  readonly lessons: readonly KeptLesson[];
}

const NO_LESSONS: readonly Lesson[] = [];

/** The channel as if it had been taught; undefined when it was already. */
export function withLesson<T extends Taught>(channel: T, model: string, lesson: Lesson): T | undefined {
  if (lessonsOf(channel, model).some((each) => isSame(each, lesson))) return undefined;
  const until = unixSeconds() + LESSON_SECONDS;
  return { ...channel, lessons: [...channel.lessons, { model, lesson, until }] };
}
