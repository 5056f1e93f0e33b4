// The limits of this site for callers, in words, each with the error that says it is reached. The public documents and those inside
// the console show the same rows.
import { MINUTE_SECONDS } from '#contract/time.ts';
import type { Text } from '#contract/language.ts';
import { groupDigits } from '#contract/money/quota-text.ts';
import type { StatusView } from './site.ts';

/** The largest body of a request, also after it is unpacked. */
export const BODY_LIMIT_MEGABYTES = 64;

export interface LimitRow {
  readonly name: Text;
  readonly value: Text;
  /** Its entry in the documents has this as its anchor. */
  readonly code: string;
}

const megabytes = (size: number): Text => ({ zh: `${size} MB`, en: `${size} MB` });
const amount = (count: number): Text => ({ zh: groupDigits(count), en: groupDigits(count) });
function duration(seconds: number): Text {
  if (seconds < MINUTE_SECONDS || seconds % MINUTE_SECONDS !== 0)
    return { zh: `${seconds} 秒`, en: `${seconds} s` };
  return { zh: `${seconds / MINUTE_SECONDS} 分钟`, en: `${seconds / MINUTE_SECONDS} min` };
}

/** Zero is no limit: such a row is left out. */
export function limitRows(limits: StatusView['limits']): LimitRow[] {
  const rows: readonly (readonly [
    value: number,
    name: Text,
    words: (value: number) => Text,
    code: string,
  ])[] = [
    [limits.body_megabytes, { zh: '一次请求的大小', en: 'Size of a request' }, megabytes, 'body_too_large'],
    [
      limits.file_megabytes,
      { zh: '上传文件的大小', en: 'Size of an uploaded file' },
      megabytes,
      'file_too_large',
    ],
    [limits.files, { zh: '每个账户的文件数', en: 'Files per account' }, amount, 'files_full'],
    [
      limits.calls_per_address,
      { zh: '同一 IP 同时进行的请求', en: 'Requests at once from one IP' },
      amount,
      'rate_limited',
    ],
    [
      limits.first_byte_seconds,
      { zh: '等待回答开始', en: 'Wait for an answer to begin' },
      duration,
      'upstream_timeout',
    ],
    [limits.idle_seconds, { zh: '回答中途停顿', en: 'Pause inside an answer' }, duration, 'upstream_timeout'],
    [limits.total_seconds, { zh: '一次调用的时长', en: 'Length of a call' }, duration, 'upstream_timeout'],
    [
      limits.api_calls_per_three_minutes,
      { zh: '同一 IP 三分钟内的管理接口调用', en: 'Management API calls from one IP in 3 min' },
      amount,
      'too_many_requests',
    ],
  ];
  return rows.flatMap(([value, name, words, code]) =>
    value > 0 ? [{ name, value: words(value), code }] : [],
  );
}
