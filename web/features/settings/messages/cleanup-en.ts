/** English words of deleting old log rows. */
import type { Messages } from '#web/i18n/namespaces.ts';
import type zh from './cleanup-zh.ts';

const messages: Messages<typeof zh> = {
  title: 'Clean up old logs',
  time: 'Delete log rows before',
  placeholder: 'YYYY-MM-DD HH:mm:ss',
  required: 'Choose a log time',
  invalid: 'Write the time as YYYY-MM-DD HH:mm:ss',
  run: 'Clean up',
  picks: 'Usual times',
  days_one: '{{count}} day ago',
  days_other: '{{count}} days ago',
  confirmTitle: 'Clean up logs?',
  confirmBody_one: '{{count}} log row before {{time}} will be deleted for good. The books are not touched.',
  confirmBody_other:
    '{{count}} log rows before {{time}} will be deleted for good. The books are not touched.',
  confirmTasks_one:
    '{{count}} drawing of that time that is over goes too, with its picture link through this site.',
  confirmTasks_other:
    '{{count}} drawings of that time that are over go too, with their picture links through this site.',
  typed: 'Type {{count}} to confirm',
  done_one: '{{count}} log cleared',
  done_other: '{{count}} logs cleared',
  doneTasks_one: '{{count}} drawing cleared',
  doneTasks_other: '{{count}} drawings cleared',
  failed: 'Log cleanup failed: {{reason}}',
  nothing: 'There are no logs before this time',
};

export default messages;
