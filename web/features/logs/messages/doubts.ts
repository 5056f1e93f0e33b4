/** What was not believed of an upstream's usage report. */
export default {
  zh: {
    title: '上游报告的用量不可能属实，已按最大可信的数量扣费。',
    input: '输入 token：报告 {{reported}}，实扣 {{charged}}',
    output: '输出 token：报告 {{reported}}，实扣 {{charged}}',
    total: 'token 总数：报告 {{reported}}；各部分之和为 {{charged}}，按各部分扣费',
    searches: '搜索次数：报告 {{reported}}，实扣 {{charged}}',
    units: '重排序计费单位：报告 {{reported}}，实扣 {{charged}}',
    seconds: '秒数：报告 {{reported}}，实扣 {{charged}}',
    answers: '应答：返回 {{reported}} 条，其中所请求的 {{charged}} 条已扣费',
    report: '整个用量报告不可信，按本地计数的请求或已送达的内容扣费',
  },
  en: {
    title: 'The upstream reported more than can be true. The largest believable amount was charged.',
    input: 'Input tokens: {{reported}} reported, {{charged}} charged',
    output: 'Output tokens: {{reported}} reported, {{charged}} charged',
    total: 'Total tokens: {{reported}} reported; the parts have {{charged}}, and they were charged',
    searches: 'Searches: {{reported}} reported, {{charged}} charged',
    units: 'Units of the ranking: {{reported}} reported, {{charged}} charged',
    seconds: 'Seconds: {{reported}} reported, {{charged}} charged',
    answers: 'Answers: {{reported}} sent, {{charged}} of them asked for and charged',
    report: 'The whole report was not believed: what was asked for or delivered was charged, as counted here',
  },
};
