// Each node keeps what it found in memory; a notice of it is stored once.
import type { Job } from '#server/platform/jobs/job.ts';
import type { JobParts } from './parts.ts';

export function attention(parts: JobParts): Job {
  return {
    name: 'attention',
    title: { zh: '待处理事项检查', en: 'What needs attention' },
    description: {
      zh: '检查渠道、订单、价格、余额、账目和节点，找出需要运营者处理的事，供概览、菜单和 /metrics 显示，并通知运营者。',
      en: 'Checks channels, orders, prices, balances, the ledger and nodes for what needs an operator, shows it on the overview, in the menu and in /metrics, and notifies operators.',
    },
    everySeconds: 60,
    lease: 'node',
    run: () => parts.checkAttention(),
  };
}
