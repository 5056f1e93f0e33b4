/** What was not believed of an upstream's usage report. */
import type { Messages } from '#web/i18n/rows.ts';

export default {
  title: ['The upstream reported more usage than is possible. The largest plausible amount was charged.', '上游报告的用量不可能属实，已按可信的最大数量扣费。'],
  input: ['Input tokens: {{reported}} reported, {{charged}} charged', '输入 token：报告 {{reported}}，实扣 {{charged}}'],
  output: ['Output tokens: {{reported}} reported, {{charged}} charged', '输出 token：报告 {{reported}}，实扣 {{charged}}'],
  total: ['Total tokens: {{reported}} reported; the parts add up to {{charged}}, which was charged', 'token 总数：报告 {{reported}}；各部分之和为 {{charged}}，按各部分扣费'],
  searches: ['Searches: {{reported}} reported, {{charged}} charged', '搜索次数：报告 {{reported}}，实扣 {{charged}}'],
  units: ['Rerank units: {{reported}} reported, {{charged}} charged', '重排序计费单位：报告 {{reported}}，实扣 {{charged}}'],
  seconds: ['Seconds: {{reported}} reported, {{charged}} charged', '秒数：报告 {{reported}}，实扣 {{charged}}'],
  answers: ['Answers: {{reported}} returned; {{charged}} were requested and charged', '回答：返回 {{reported}} 条，按请求的 {{charged}} 条扣费'],
  report: ['The usage report is not plausible. The charge is based on what the gateway counted as requested or delivered.', '整个用量报告不可信，改按网关统计的请求内容或已送达的内容扣费'],
} satisfies Messages;
