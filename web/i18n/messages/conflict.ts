/** Words of the dialog that asks whose change is kept. */
import type { Messages } from '#web/i18n/rows.ts';

export default {
  title: ['Someone else changed this too', '他人同时修改了这些内容'],
  lead: ['These values were changed after you opened the page. Choose which to keep, then save.', '你打开页面后，以下内容已被修改。请选择保留哪个值，然后保存。'],
  by: ['Changed by {{name}}', '由 {{name}} 修改'],
  other: ['a configuration file or another program', '配置文件或其他程序'],
  theirs: ['Their value', '对方的值'],
  mine: ['Your value', '你的值'],
  member: ['Name', '名称'],
  both: ['Changed by both; merging keeps yours', '双方都改了，合并时用你的值'],
  gone: ['none', '没有'],
  merged: ['Merged', '合并后'],
  secret: ['Secrets are not shown.', '密钥不显示。'],
  choice: ['{{label}}: which value to save', '{{label}}：保存哪个值'],
  merge: ['Merge both changes', '合并双方的修改'],
  keep: ['Keep their value', '保留对方的值'],
  use: ['Use your value', '使用你的值'],
  back: ['Back to editing', '返回编辑'],
  save: ['Save as chosen', '按选择保存'],
} satisfies Messages;
