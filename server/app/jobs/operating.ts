// The jobs of the installation: nodes, the audit trail, old rows, logs, backups.
import { REPORT_SECONDS } from '#server/admin/cluster/index.ts';
import { applyLogRetention } from '#server/admin/logs/index.ts';
import { removeOldMails } from '#server/admin/mail/index.ts';
import { removeSpentProofs } from '#server/admin/outside-logins/used-proofs.ts';
import { removeOldAttempts } from '#server/admin/session/attempts.ts';
import { removeOldCodes } from '#server/admin/session/codes.ts';
import { removeRowsOfGoneNodes } from '#server/platform/jobs/rows.ts';
import { removeOldNotices } from '#server/platform/notices/index.ts';
import { endedTasks } from '#server/relay/tasks/index.ts';
import type { MakeJob } from './parts.ts';

/** Idempotent: it reads. The line it logs is a copy of the anchor outside the database. */
export const auditTrail: MakeJob = (parts) => ({
  name: 'audit-trail',
  title: { zh: '审计记录校验', en: 'Audit trail check' },
  description: {
    zh: '校验审计记录没有被修改、删除或截断，并把记录数与最后的哈希写入服务器日志。',
    en: 'Checks that no row of the audit trail was altered, removed or cut off, and writes its length and last hash to the server log.',
  },
  everySeconds: 86_400,
  lease: 'cluster',
  run: () => parts.checkAuditTrail(),
});

/** A node's row is its own; a report that is lost is followed by the next. */
export const nodeReport: MakeJob = ({ reporter }) => ({
  name: 'node-report',
  title: { zh: '节点报告', en: 'Node report' },
  description: {
    zh: '记录本节点的负载和延迟，供节点页面显示；被要求排空时让负载均衡器不再转发请求。',
    en: "Records this node's load and delays for the nodes page, and drains the node when asked to.",
  },
  everySeconds: REPORT_SECONDS,
  lease: 'node',
  atStart: true,
  run: () => reporter.run(),
});

const REMOVERS = [
  removeOldMails,
  removeOldNotices,
  removeSpentProofs,
  removeOldAttempts,
  removeOldCodes,
  removeRowsOfGoneNodes,
];

/** Removes rows whose time is over; each folder exports the function for its own tables. Idempotent. */
export const expiredRows: MakeJob = ({ store, removeExpired }) => ({
  name: 'expired-rows',
  title: { zh: '过期数据清理', en: 'Expired rows' },
  description: {
    zh: '删除过期的会话、验证码、登录尝试、旧邮件、旧通知、保存的对话、实时会话的临时密钥和旧的拒绝记录。',
    en: 'Removes ended sessions, codes, sign-in attempts, old emails, old notifications, stored conversations, secrets for realtime sessions and old refusals.',
  },
  everySeconds: 600,
  lease: 'cluster',
  async run(signal) {
    for (const remove of [...REMOVERS, ...removeExpired]) if (!signal.aborted) await remove(store);
  },
});

/** Idempotent: what is removed stays removed, and a day that has its partition gets no other. */
export const logRetention: MakeJob = ({ store, settings }) => ({
  name: 'log-retention',
  title: { zh: '日志保留', en: 'Log retention' },
  description: {
    zh: '删除超过保留天数的日志和已结束的绘图任务；使用 PostgreSQL 时提前建立每日分区。',
    en: 'Removes logs and finished drawings older than the days to keep; on PostgreSQL it also creates the partitions of the next days.',
  },
  everySeconds: 3600,
  lease: 'cluster',
  async run(signal) {
    const days = settings.current.LogRetentionDays;
    await applyLogRetention({ store, endedTasks: endedTasks(store) }, days, signal);
  },
});

export const BACKUP_JOB = 'backup';

/** A copy that was cut short is removed by the next run; a repeated run makes one copy more. */
export const backup: MakeJob = ({ backups }) => ({
  name: BACKUP_JOB,
  title: { zh: '数据库备份', en: 'Database backup' },
  description: {
    zh: '把整个数据库复制到数据目录或 S3，并删除最旧的备份；未设置间隔时只能手动运行。',
    en: 'Copies the whole database to the data directory or S3 and removes the oldest copies; runs only by hand while no interval is set.',
  },
  everySeconds: () => backups.everySeconds(),
  lease: 'cluster',
  run: (signal) => backups.run(signal),
});

/** The position moves after the receiver has a batch: a run that was cut sends its last batch again. */
export const logExport: MakeJob = ({ logExport: rows }) => ({
  name: 'log-export',
  title: { zh: '日志导出', en: 'Log export' },
  description: {
    zh: '把新的日志行发送到 ClickHouse、S3 或 Webhook；未设置导出位置时不运行。',
    en: 'Sends new log rows to ClickHouse, S3 or a webhook; does not run unless a target is set.',
  },
  everySeconds: () => rows.everySeconds(),
  lease: 'cluster',
  run: (signal) => rows.run(signal),
});
