// Writes the incidents that are facts. Idempotent: a state is written once.
import { watchIncidents } from '#server/admin/status/index.ts';
import type { MakeJob } from './parts.ts';

export const incidents: MakeJob = ({ store }) => ({
  name: 'incidents',
  title: { zh: '事件记录', en: 'Incidents' },
  description: {
    zh: '模型没有可用渠道时记录一个事件，恢复后结束它，并统计期间被拒绝的调用，供状态页显示。',
    en: 'Records an incident when a model has no channel left, ends it when one serves again, and counts the refused calls, for the status page.',
  },
  everySeconds: 20,
  lease: 'cluster',
  run: () => watchIncidents({ store }),
});
