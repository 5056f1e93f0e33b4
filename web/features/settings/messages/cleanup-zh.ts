/** Messages of deleting old log rows. */

export default {
  title: '清理历史日志',
  time: '删除此时间之前的日志',
  placeholder: 'YYYY-MM-DD HH:mm:ss',
  required: '请选择日志记录时间！',
  invalid: '时间格式应为 YYYY-MM-DD HH:mm:ss',
  run: '清理',
  picks: '常用时间',
  days_other: '{{count}} 天前',
  confirmTitle: '清理日志？',
  confirmBody_other: '将永久删除 {{time}} 之前的 {{count}} 条日志。账目不受影响，但这些记录无法恢复。',
  confirmTasks_other: '在此之前的 {{count}} 个已结束的绘画任务也会删除，经本站转发的图片链接随之失效。',
  typed: '输入 {{count}} 以确认',
  done_other: '{{count}} 条日志已清理！',
  doneTasks_other: '{{count}} 个绘画任务已清理！',
  failed: '日志清理失败：{{reason}}',
  nothing: '这个时间之前没有日志可清理',
};
