// The sentences for input that failed its schema, in the caller's language: what the value must be. They follow the name of
// the field ("quota must be at least 0"), or stand beside it in a form.
import type { z } from 'zod';
import { AppError } from './errors.ts';
import type { Language, Text } from './language.ts';

/** The part of an issue that the words depend on. Parse with `reportInput`, which tells a missing value from a wrong one. */
type Issue = z.core.$ZodIssue;

const text = (zh: string, en: string): Text => ({ zh, en });

/** `refine` names one of these as its message. */
const CUSTOM = {
  time_zone: text(
    '必须是存在的时区，例如 Asia/Shanghai',
    'must be a time zone that exists, for example Asia/Shanghai',
  ),
  key_before_fragment: text(
    '网页链接中的密钥必须在 # 之后，否则会留在对方的访问记录里',
    'in a web link the key must come after the #; before it, the key would stay in the logs of the other site',
  ),
  private_entries: text(
    '每项必须是可以放行的内网地址，例如 10.0.0.5:11434、192.168.1.0/24 或 [fd00::5]:11434；云元数据和链路本地地址不能放行',
    'must have only private addresses such as 10.0.0.5:11434, 192.168.1.0/24 or [fd00::5]:11434; cloud metadata and link-local addresses cannot be allowed',
  ),
  script_link: text('不能是会在页面中运行脚本的链接', 'must not be a link that runs a script in the page'),
  plain_address: text(
    '不能带有 ?、# 或用户名和密码',
    'must not have a “?”, a “#” or a user name and password',
  ),
  list_entry: text('不能含有空格、逗号、引号或括号', 'must not have spaces, commas, quotes or brackets'),
  mail_domain: text('必须是域名，例如 example.com', 'must be a domain, for example example.com'),
  one_name: text('每项只能有一个名称', 'must have one name in each entry'),
  printable: text('不能含有控制字符', 'must not have control characters'),
  model_name: text(
    '不能含有空格、逗号、控制字符、“..”或“%0”',
    'must not have spaces, commas, control characters, “..” or “%0”',
  ),
  secret_header: text('不能是带有密钥的请求头', 'must not be a header that carries a key'),
  shares_over_hundred: text('各目标的比例之和不能超过 100', 'must have shares of at most 100 together'),
  prompt_bounds: text(
    '提示词长度的下限不能大于上限',
    'must have a lower bound of the prompt that is not above its upper bound',
  ),
  after_start: text('必须晚于开始时间', 'must be later than the beginning'),
  ascending: text('必须从小到大排列', 'must be in ascending order'),
  zero_or_millionth: text('必须是 0 或不小于 0.000001', 'must be 0 or at least 0.000001'),
  two_decimals: text('最多两位小数', 'must have at most two decimals'),
} as const satisfies Record<string, Text>;
export type CustomProblem = keyof typeof CUSTOM;

/** What a handler refuses after the schema has accepted it. */
const REFUSED = {
  required: text('必须填写', 'is required'),
  printable: CUSTOM.printable,
  begins_with_at: text('不能以 @ 开头', 'must not begin with @'),
  after_start: CUSTOM.after_start,
  other_request: text('已用于另一个请求', 'was used for another request'),
  too_large: text('太大', 'is too large'),
  future: text('不能是将来的月份', 'must not be in the future'),
  role: text('只能是普通用户或管理员', 'must be that of a user or an admin'),
  mail_way: text('不能再添加邮件', 'cannot be mail, which exists already'),
  no_key: text(
    '不是密钥，也不是打码后的密钥（如 sk-abcd…wxyz）',
    'is neither a key nor a masked one such as sk-abcd…wxyz',
  ),
  fixed: text('不能在这里修改', 'cannot be changed here'),
  by_action: text('只能用 POST /api/user/manage 修改', 'can be changed only with POST /api/user/manage'),
  on_or_off: text('只能是启用或禁用', 'must be enabled or disabled'),
} as const satisfies Record<string, Text>;

/** A refusal of one field, named in the sentence. */
export function invalidField(field: string, problem: keyof typeof REFUSED | Text): AppError {
  const words = typeof problem === 'string' ? REFUSED[problem] : problem;
  const detail = text(`${field} ${words.zh}`, `${field} ${words.en}`);
  return new AppError('invalid_parameter', { detail }, { field });
}

/** The words of a number over its limit. */
export const atMost = (limit: number): Text => limitWords('number', limit, true, MOST);

const REQUIRED = text('必须填写', 'is required');
const MALFORMED = text('格式不正确', 'is not in the expected form');

const EXPECTED: Record<string, Text> = {
  number: text('必须是数字', 'must be a number'),
  int: text('必须是整数', 'must be a whole number'),
  bigint: text('必须是整数', 'must be a whole number'),
  string: text('必须是文字', 'must be text'),
  boolean: text('必须是 true 或 false', 'must be true or false'),
  array: text('必须是列表', 'must be a list'),
  object: text('必须是对象', 'must be an object'),
  record: text('必须是对象', 'must be an object'),
};

const FORMATS: Record<string, Text> = {
  email: text('必须是有效的邮箱地址', 'must be an email address'),
  url: text('必须是有效的网址', 'must be a web address'),
};

/** `must be at least 3 characters` and its kin, by what is measured. */
const MEASURES: Record<string, { zh: string; en: string }> = {
  string: text('个字符', 'characters'),
  array: text('项', 'entries'),
  set: text('项', 'entries'),
};

/** What the value must be, to follow the name of its field. */
export function problemWords(issue: Issue, language: Language): string {
  return wordsOf(issue)[language];
}

/** The same as a sentence beside the field. */
export function problemSentence(issue: Issue, language: Language): string {
  const words = problemWords(issue, language);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function wordsOf(issue: Issue): Text {
  if ((issue.input === undefined || issue.input === null) && issue.code !== 'custom') return REQUIRED;
  switch (issue.code) {
    case 'invalid_type':
      return Number.isNaN(issue.input) ? EXPECTED['number']! : (EXPECTED[issue.expected] ?? MALFORMED);
    case 'too_small':
      return limitWords(issue.origin, Number(issue.minimum), issue.inclusive ?? true, LEAST);
    case 'too_big':
      return limitWords(issue.origin, Number(issue.maximum), issue.inclusive ?? true, MOST);
    case 'invalid_format':
      return FORMATS[issue.format] ?? MALFORMED;
    case 'invalid_value':
      return text(
        `只能是 ${issue.values.join('、')} 之一`,
        `must be one of ${issue.values.map(String).join(', ')}`,
      );
    case 'unrecognized_keys':
      return text(`有未知的字段：${issue.keys.join('、')}`, `has unknown fields: ${issue.keys.join(', ')}`);
    case 'not_multiple_of':
      return text(`必须是 ${issue.divisor} 的倍数`, `must be a multiple of ${issue.divisor}`);
    case 'invalid_union':
      return unionWords(issue);
    case 'custom':
      return CUSTOM[issue.message as CustomProblem] ?? MALFORMED;
    default:
      return MALFORMED;
  }
}

/** A web address or nothing: the words of the web address. */
function unionWords(issue: Extract<Issue, { code: 'invalid_union' }>): Text {
  const format = issue.errors.flat().find((error) => error.code === 'invalid_format');
  return (format && FORMATS[format.format]) ?? MALFORMED;
}

const LEAST = {
  zh: ['不能小于', '必须大于', '至少'],
  en: ['must be at least', 'must be more than', 'must have at least'],
};
const MOST = {
  zh: ['不能大于', '必须小于', '最多'],
  en: ['must be at most', 'must be less than', 'must have at most'],
};

function limitWords(origin: string, limit: number, inclusive: boolean, words: typeof LEAST): Text {
  const measure = MEASURES[origin];
  if (!measure) {
    const kind = inclusive ? 0 : 1;
    return text(`${words.zh[kind]} ${limit}`, `${words.en[kind]} ${limit}`);
  }
  if (words === LEAST && limit === 1) return text('不能为空', 'must not be empty');
  return text(`${words.zh[2]} ${limit} ${measure.zh}`, `${words.en[2]} ${limit} ${measure.en}`);
}
