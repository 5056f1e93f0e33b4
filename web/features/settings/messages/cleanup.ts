/** Words of deleting old log rows. */
import type { Messages } from '#web/i18n/rows.ts';

export default {
  title: ['Clean up old logs', '清理历史日志'],
  time: ['Delete log rows before', '删除此时间之前的日志'],
  placeholder: ['YYYY-MM-DD HH:mm:ss', 'YYYY-MM-DD HH:mm:ss'],
  required: ['Choose a log time', '请选择日志记录时间'],
  invalid: ['Enter the time as YYYY-MM-DD HH:mm:ss', '时间格式应为 YYYY-MM-DD HH:mm:ss'],
  run: ['Clean up', '清理'],
  picks: ['Common times', '常用时间'],
  days: ['{{count}} day ago', '{{count}} days ago', '{{count}} 天前'],
  confirmTitle: ['Clean up logs?', '清理日志？'],
  confirmBody: ['{{count}} log row before {{time}} will be deleted for good. The books are not affected.', '{{count}} log rows before {{time}} will be deleted for good. The books are not affected.', '将永久删除 {{time}} 之前的 {{count}} 条日志。账目不受影响，但这些记录无法恢复。'],
  confirmTasks: [
    '{{count}} finished drawing task before that time is deleted too, and its image link through this site stops working.',
    '{{count}} finished drawing tasks before that time are deleted too, and their image links through this site stop working.',
    '此时间之前已结束的 {{count}} 个绘图任务也会删除，经本站转发的图片链接随之失效。',
  ],
  typed: ['Type {{count}} to confirm', '输入 {{count}} 以确认'],
  done: ['{{count}} log row deleted', '{{count}} log rows deleted', '{{count}} 条日志已清理'],
  doneTasks: ['{{count}} drawing task deleted', '{{count}} drawing tasks deleted', '已清理 {{count}} 个绘图任务'],
  failed: ['Log cleanup failed: {{reason}}', '日志清理失败：{{reason}}'],
  nothing: ['There are no logs before this time', '此时间之前没有日志可清理'],
} satisfies Messages;
