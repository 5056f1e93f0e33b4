/** What was not believed of an upstream's usage report. */
import type { Messages } from '#web/i18n/rows.ts';

export default {
  title: ['The upstream reported more than can be true. The largest believable amount was charged.', '上游报告的用量不可能属实，已按最大可信的数量扣费。'],
  input: ['Input tokens: {{reported}} reported, {{charged}} charged', '输入 token：报告 {{reported}}，实扣 {{charged}}'],
  output: ['Output tokens: {{reported}} reported, {{charged}} charged', '输出 token：报告 {{reported}}，实扣 {{charged}}'],
  total: ['Total tokens: {{reported}} reported; the parts have {{charged}}, and they were charged', 'token 总数：报告 {{reported}}；各部分之和为 {{charged}}，按各部分扣费'],
  searches: ['Searches: {{reported}} reported, {{charged}} charged', '搜索次数：报告 {{reported}}，实扣 {{charged}}'],
  units: ['Units of the ranking: {{reported}} reported, {{charged}} charged', '重排序计费单位：报告 {{reported}}，实扣 {{charged}}'],
  seconds: ['Seconds: {{reported}} reported, {{charged}} charged', '秒数：报告 {{reported}}，实扣 {{charged}}'],
  answers: ['Answers: {{reported}} sent, {{charged}} of them asked for and charged', '应答：返回 {{reported}} 条，其中所请求的 {{charged}} 条已扣费'],
  report: ['The whole report was not believed: what was asked for or delivered was charged, as counted here', '整个用量报告不可信，按本地计数的请求或已送达的内容扣费'],
} satisfies Messages;
