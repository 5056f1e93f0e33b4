// A node claims an order by moving the time of its next question; the order's status allows one credit.
import type { Job } from '#server/platform/jobs/job.ts';
import type { JobParts } from './parts.ts';

export function orderReconciliation(parts: JobParts): Job {
  return {
    name: 'order-reconciliation',
    title: { zh: '核对充值订单', en: 'Order reconciliation' },
    description: {
      zh: '向支付平台查询未完成的订单，补记丢失的回调，并关闭过期订单。',
      en: 'Asks the payment providers about unfinished orders, credits what a lost callback missed, and ends expired ones.',
    },
    everySeconds: 15,
    lease: 'cluster',
    run: (signal) => parts.reconcileOrders(signal),
  };
}
