/** Words of the page of one supplier. */
import type { Messages } from '#web/i18n/rows.ts';

export default {
  notFound: ['There is no supplier with this ID.', '没有这个编号的供应商。'],
  toList: ['All suppliers', '全部供应商'],
  back: ['Suppliers', '供应商'],
  edit: ['Edit', '编辑'],
  bills: ['Bills', '账单'],
  scores: ['Scores', '评分'],
  state: {
    on: ['{{on}} of {{all}} channels on', '{{all}} 个渠道中 {{on}} 个启用'],
    none: ['no channels', '没有渠道'],
  },
  alert: {
    off: ['Channels disabled automatically:', '自动禁用的渠道：'],
    balanceLess: ['The balance lasts less than a day:', '余额不够一天：'],
    balance: ['The balance lasts a day:', 'The balance lasts {{count}} days:', '余额还够 {{count}} 天：'],
    open: ['Open channel', '打开渠道'],
  },
  fact: {
    channels: ['Channels', '渠道'],
    bought: ['Buy price', '进价'],
    score: ['Lowest score', '最低评分'],
    balance: ['Balances', '余额'],
    made: ['Created', '创建'],
    billed: ['Last bill', '最近账单'],
  },
  derived: {
    on: ['{{on}} on', '{{on}} 个启用'],
    own: ['{{count}} has its own', '{{count}} have their own', '{{count}} 个另有进价'],
    lasts: ['first runs out in a day', 'first runs out in {{count}} days', '最先用完的够用 {{count}} 天'],
    lastsLess: ['first runs out within a day', '最先用完的不足一天'],
    counted: ['our count {{amount}}', '我方统计 {{amount}}'],
  },
  unknown: ['unknown', '未知'],
  buy: {
    plan: ['{{fee}} a month', '每月 {{fee}}'],
    table: ['{{count}} price', '{{count}} prices', '{{count}} 个价格'],
  },
  money: {
    title: ['Channels and money', '渠道与资金'],
    hint: ['{{from}} to {{to}} ({{zone}})', '{{from}} 至 {{to}}（{{zone}}）'],
    balance: ['Balance', '余额'],
    lasts: ['Lasts', '够用'],
    days: ['{{count}} d', '{{count}} d', '{{count}} 天'],
    score: ['Score', '评分'],
  },
} satisfies Messages;
