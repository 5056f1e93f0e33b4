// The report that an operator sends to a supplier: what was found, with its figures and the request ids that prove it. It
// names no user and holds no content.
import { csvLine } from '#contract/csv.ts';
import type { Language, Text } from '#contract/language.ts';
import type { EvidenceView, SignalFinding, SupplierDetail } from './suppliers.ts';

const text = (zh: string, en: string): Text => ({ zh, en });

const COMPARED: Record<SignalFinding['compared'], Text> = {
  trusted: text('同一模型的可信渠道', 'trusted channels for the same model'),
  others: text('同一模型的其他渠道', 'other channels for the same model'),
  past: text('该渠道自己的过去', 'the past of this channel'),
  request: text('请求本身', 'the request itself'),
  none: text('任何已知分词器的上限', 'the most that any known tokenizer counts'),
};

export const SIGNAL_NAMES: Record<SignalFinding['signal'], Text> = {
  model_name: text('模型名称', 'Model name'),
  probes: text('提问检测', 'Probe questions'),
  input_tokens: text('输入 token', 'Input tokens'),
  output_tokens: text('输出 token', 'Output tokens'),
  padded: text('虚增的回答', 'Padded answers'),
  cut_streams: text('被截断的流', 'Cut streams'),
  cache_reads: text('缓存读取', 'Cache reads'),
  cache_writes: text('缓存写入', 'Cache writes'),
  tokenizer: text('分词不同', 'Other tokenizer'),
  fast: text('速度过快', 'Faster than others'),
  slow: text('速度过慢', 'Slower than others'),
  late: text('首字过慢', 'Late first token'),
};

const percent = (share: number): string => `${Math.round(share * 1000) / 10}%`;
const ratio = (value: number): string => value.toFixed(2);

type Sentence = (finding: SignalFinding) => Text;

const SENTENCES: Record<SignalFinding['signal'], Sentence> = {
  model_name: ({ hits, tries, detail = '' }) =>
    text(
      `${tries} 个回答中有 ${hits} 个自称是更便宜的模型 ${detail}。`,
      `${hits} of ${tries} answers named the cheaper model ${detail}.`,
    ),
  probes: ({ hits, tries, usual, compared }) =>
    text(
      `${COMPARED[compared].zh}回答一致的 ${tries} 个检测问题中，有 ${hits} 个的回答不同，正常不超过 ${percent(usual)}。`,
      `Of ${tries} probe questions to which ${COMPARED[compared].en} gave the same answer, ${hits} were answered differently; up to ${percent(usual)} is usual.`,
    ),
  input_tokens: ({ figure, usual, hits, compared }) =>
    text(
      `报告的输入 token 是我们重新计数的 ${ratio(figure)} 倍，${COMPARED[compared].zh}为 ${ratio(usual)} 倍（${hits} 次调用的中位数）。`,
      `Reported input tokens are ${ratio(figure)} times our recount, compared with ${ratio(usual)} for ${COMPARED[compared].en} (median of ${hits} calls).`,
    ),
  output_tokens: ({ figure, usual, hits, compared }) =>
    text(
      `报告的输出 token 是我们重新计数的 ${ratio(figure)} 倍，${COMPARED[compared].zh}为 ${ratio(usual)} 倍（${hits} 次调用的中位数）。`,
      `Reported output tokens are ${ratio(figure)} times our recount, compared with ${ratio(usual)} for ${COMPARED[compared].en} (median of ${hits} calls).`,
    ),
  padded: ({ hits, tries, usual }) =>
    text(
      `${tries} 个回答中有 ${hits} 个的输出 token 至少是实际文本的两倍，正常不超过 ${percent(usual)}。`,
      `${hits} of ${tries} answers were billed with at least twice the text that was delivered; up to ${percent(usual)} is usual.`,
    ),
  cut_streams: ({ hits, tries, usual }) =>
    text(
      `${tries} 个回答中有 ${hits} 个没有结束标记就中断，正常不超过 ${percent(usual)}。`,
      `${hits} of ${tries} answers stopped without an end; up to ${percent(usual)} is usual.`,
    ),
  cache_reads: ({ hits, tries }) =>
    text(
      `${tries} 个从未发送过的提示词中有 ${hits} 个被报告为读取了缓存。`,
      `Cache reads were claimed for ${hits} of ${tries} prompts that had never been sent before.`,
    ),
  cache_writes: ({ hits, tries }) =>
    text(
      `${tries} 个没有要求缓存的请求中有 ${hits} 个被收取了缓存写入。`,
      `Cache writes were claimed for ${hits} of ${tries} requests that asked for no cache.`,
    ),
  tokenizer: ({ figure, usual, hits, compared }) =>
    text(
      `报告的输入 token 是我们重新计数的 ${ratio(figure)} 倍，${COMPARED[compared].zh}为 ${ratio(usual)} 倍（${hits} 次调用的中位数）；token 偏少往往说明用了另一个模型。`,
      `Reported input tokens are ${ratio(figure)} times our recount, compared with ${ratio(usual)} for ${COMPARED[compared].en} (median of ${hits} calls); a lower count often means another model.`,
    ),
  fast: ({ figure, usual, compared }) =>
    text(
      `每秒 ${Math.round(figure)} 个 token，${COMPARED[compared].zh}为 ${Math.round(usual)}；更快的往往是更小的模型。`,
      `${Math.round(figure)} tokens a second, compared with ${Math.round(usual)} for ${COMPARED[compared].en}; faster is often a smaller model.`,
    ),
  slow: ({ figure, usual, compared }) =>
    text(
      `每秒 ${Math.round(figure)} 个 token，${COMPARED[compared].zh}为 ${Math.round(usual)}。`,
      `${Math.round(figure)} tokens a second, compared with ${Math.round(usual)} for ${COMPARED[compared].en}.`,
    ),
  late: ({ figure, usual, compared }) =>
    text(
      `首个 token 需要 ${Math.round(figure)} 毫秒，${COMPARED[compared].zh}为 ${Math.round(usual)} 毫秒。`,
      `The first token takes ${Math.round(figure)} ms, compared with ${Math.round(usual)} ms for ${COMPARED[compared].en}.`,
    ),
};

export function findingSentence(finding: SignalFinding, language: Language): string {
  return SENTENCES[finding.signal](finding)[language];
}

const EVIDENCE_NAMES: Record<EvidenceView['signal'], Text> = {
  input: SIGNAL_NAMES.input_tokens,
  output: SIGNAL_NAMES.output_tokens,
  cut: SIGNAL_NAMES.cut_streams,
  name: SIGNAL_NAMES.model_name,
  reads: SIGNAL_NAMES.cache_reads,
  writes: SIGNAL_NAMES.cache_writes,
};

export const evidenceName = (signal: EvidenceView['signal'], language: Language): string =>
  EVIDENCE_NAMES[signal][language];

const CUT_WORDS: Readonly<Record<string, Text>> = {
  'no end': text('没有结束标记', 'no end'),
  cut: text('中断', 'cut'),
};

/** What was claimed or counted; a cut stream has words in place of a number. */
export const evidenceValue = (
  { signal }: EvidenceView,
  value: EvidenceView['claimed'],
  language: Language,
): string => (signal === 'cut' ? (CUT_WORDS[value]?.[language] ?? String(value)) : String(value));

const EVIDENCE_OF: Partial<Record<SignalFinding['signal'], EvidenceView['signal']>> = {
  input_tokens: 'input',
  output_tokens: 'output',
  padded: 'output',
  cut_streams: 'cut',
  model_name: 'name',
  cache_reads: 'reads',
  cache_writes: 'writes',
};

/** Only calls that prove something that was found: a single odd call of an honest channel is no accusation. */
export function provingEvidence({
  evidence,
  models,
}: Pick<SupplierDetail, 'evidence' | 'models'>): EvidenceView[] {
  const proven = new Set(
    models.flatMap(({ model, findings }) =>
      findings.map(({ signal }) => `${model} ${EVIDENCE_OF[signal] ?? ''}`),
    ),
  );
  return evidence.filter(({ model, signal }) => proven.has(`${model} ${signal}`));
}

const utc = (seconds: number): string =>
  `${new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** A table cell; `|` would end it. */
const cell = (value: string | number): string => String(value).replaceAll('|', '\\|').replaceAll(/\s+/g, ' ');

export function reportMarkdown(supplier: SupplierDetail, language: Language): string {
  const say = (zh: string, en: string): string => (language === 'zh' ? zh : en);
  const found = supplier.models.flatMap(({ model, score, answers, findings }) => [
    `## ${model}`,
    '',
    say(
      `评分 ${score ?? '—'}/100，抽样 ${answers} 个回答。`,
      `Score ${score ?? '—'} of 100, from ${answers} sampled answers.`,
    ),
    '',
    ...(findings.length === 0
      ? [say('没有发现问题。', 'Nothing was found.')]
      : findings.map(
          (finding) =>
            `- **${SIGNAL_NAMES[finding.signal][language]}** ${findingSentence(finding, language)}`,
        )),
    '',
  ]);
  const proofs = provingEvidence(supplier);
  const head = say(
    '时间 | 请求 ID | 模型 | 问题 | 报告 | 核对',
    'Time | Request ID | Model | Signal | Claimed | Counted',
  );
  const rows = proofs.map((proof) => {
    const { at, request_id, model, signal } = proof;
    const values = [proof.claimed, proof.counted].map((value) => evidenceValue(proof, value, language));
    return [utc(at), request_id, model, evidenceName(signal, language), ...values].map(cell).join(' | ');
  });
  return [
    `# ${say('供应商报告', 'Supplier report')}: ${supplier.channel_name}`,
    '',
    say(
      `计算于 ${utc(supplier.computed_at)}，评分 ${supplier.score ?? '—'}/100。`,
      `Computed at ${utc(supplier.computed_at)}, score ${supplier.score ?? '—'} of 100.`,
    ),
    '',
    ...found,
    ...(rows.length === 0
      ? []
      : [
          `## ${say('证据：相关调用', 'Evidence: related calls')}`,
          '',
          `| ${head} |`,
          '| --- | --- | --- | --- | --- | --- |',
          ...rows.map((row) => `| ${row} |`),
          '',
        ]),
  ].join('\n');
}

export function reportCsv(supplier: SupplierDetail): string {
  const head = csvLine(['time', 'request_id', 'model', 'signal', 'claimed', 'counted']);
  const rows = provingEvidence(supplier).map(({ at, request_id, model, signal, claimed, counted }) =>
    csvLine([utc(at), request_id, model, signal, claimed, counted]),
  );
  return head + rows.join('');
}
