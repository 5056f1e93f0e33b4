/** Words of announcements and questions. */
import type { Messages } from '#web/i18n/rows.ts';

export default {
  bell: {
    label: ['Announcements', '公告'],
    unread: ['Announcements, {{count}} unread', 'Announcements, {{count}} unread', '公告，{{count}} 条未读'],
    new: ['New', '新'],
  },
  pinned: ['Pinned', '置顶'],
  level: { info: ['Info', '提示'], success: ['Good news', '好消息'], warning: ['Attention', '注意'], error: ['Important', '重要'] },
  audience: { everybody: ['Everybody', '所有人'], users: ['Signed-in users', '登录用户'] },
  state: { shown: ['Shown', '展示中'], planned: ['Planned', '未开始'], past: ['Over', '已结束'] },
  editor: {
    add: ['Write an announcement', '发布公告'],
    edit: ['Edit', '编辑'],
    remove: ['Delete', '删除'],
    removeTitle: ['Delete this announcement?', '删除这条公告？'],
    removed: ['The announcement was deleted', '公告已删除'],
    saved: ['The announcement was saved', '公告已保存'],
    from: ['from {{time}}', '{{time}} 起'],
    until: ['until {{time}}', '至 {{time}}'],
  },
  form: {
    title: ['Title', '标题'],
    content: ['Text', '内容'],
    markdown: ['Markdown can be used', '支持 Markdown'],
    level: ['Level', '级别'],
    audience: ['Shown to', '可见范围'],
    from: ['From', '开始时间'],
    atOnce: ['At once', '立即'],
    until: ['Until', '结束时间'],
    pinned: ['Pinned', '置顶'],
    save: ['Save', '保存'],
  },
  problem: {
    content: ['Enter a text', '请填写内容'],
    time: ['Not a valid time', '时间格式不正确'],
    order: ['The end must be after the start', '结束时间必须晚于开始时间'],
    question: ['Enter the question', '请填写问题'],
    answer: ['Enter the answer', '请填写回答'],
  },
  faq: {
    title: ['Frequently asked questions', '常见问题'],
    add: ['Add a question', '添加问题'],
    question: ['Question', '问题'],
    answer: ['Answer', '回答'],
    up: ['Move up', '上移'],
    down: ['Move down', '下移'],
    removeTitle: ['Delete this question?', '删除这个问题？'],
    removed: ['The question was deleted', '问题已删除'],
    saved: ['The question was saved', '问题已保存'],
  },
} satisfies Messages;
