// Checks of suppliers: the counts of each node, the scores, and the probe questions.
import type { Job } from '#server/platform/jobs/job.ts';
import type { JobParts } from './parts.ts';

export function suppliers({ suppliers: checks, settings }: JobParts): Job[] {
  const isOn = (): boolean => settings.current.SupplierChecksEnabled;
  return [
    {
      name: 'supplier-counts',
      title: { zh: '供应商抽样计数', en: 'Supplier sampling' },
      description: {
        zh: '将本节点抽样核对的计数写入数据库。',
        en: 'Saves what this node counted in sampled answers.',
      },
      everySeconds: 30,
      lease: 'node',
      run: () => checks.writeCounts(),
    },
    {
      name: 'supplier-scores',
      title: { zh: '供应商评分', en: 'Supplier scores' },
      description: {
        zh: '根据抽样计数和提问检测计算每个渠道的评分，评分过低时通知运营者。',
        en: "Computes each channel's score from the counts and probes, and notifies operators of a low one.",
      },
      everySeconds: () => (isOn() ? 600 : 0),
      lease: 'cluster',
      run: () => checks.assess(),
    },
    {
      name: 'supplier-probes',
      title: { zh: '供应商提问检测', en: 'Supplier probes' },
      description: {
        zh: '在每日预算内向渠道提出内置的小问题，并与其他渠道的回答比较。',
        en: 'Asks channels the built-in questions within the daily budget, and compares the answers with those of other channels.',
      },
      warning: {
        zh: '将在预算内向上游发送提问，上游会收费。',
        en: 'Questions are sent to upstreams within the budget; the upstreams charge for them.',
      },
      everySeconds: () => (isOn() && settings.current.SupplierProbeBudget > 0 ? 1800 : 0),
      lease: 'cluster',
      run: (signal) => checks.probe(signal),
    },
  ];
}
