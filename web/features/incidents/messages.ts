/** Words of the page of incidents. */
import type { Messages } from '#web/i18n/rows.ts';

export default {
  title: ['Incidents', '故障记录'],
  list: ['Incidents', '事件列表'],
  total: ['incidents', '个事件'],
  going: ['going on', '进行中'],
  page: ['Status page', '状态页'],
  column: {
    title: ['Incident', '事件'],
    state: ['State', '状态'],
    source: ['Found by', '来源'],
    begun: ['Started', '开始'],
    lasted: ['Lasted', '持续'],
    models: ['Models', '模型'],
    refused: ['Refused', '被拒绝'],
  },
  source: { measured: ['measured', '系统测得'], operator: ['operator', '运营者'] },
  state: { running: ['Going on', '进行中'], planned: ['Planned', '计划中'], over: ['Over', '已结束'] },
  lasted: {
    minutes: ['{{minutes}} min', '{{minutes}} 分钟'],
    hours: ['{{hours}} h {{minutes}} min', '{{hours}} 小时 {{minutes}} 分钟'],
    days: ['{{days}} d {{hours}} h', '{{days}} 天 {{hours}} 小时'],
  },
  empty: {
    title: ['No incident yet', '还没有事件'],
    text: ['An incident is recorded automatically when a model has no channel. Write one yourself for things that cannot be measured, such as planned maintenance.', '模型没有可用渠道时会自动记录事件。计划维护等无法测得的情况可以在这里发布。'],
  },
  action: {
    write: ['Publish an incident', '发布事件'],
    edit: ['Edit', '编辑'],
    remove: ['Delete', '删除'],
    line: ['Add an update', '补充进展'],
    removeLine: ['Delete this update', '删除这条进展'],
  },
  form: {
    title_zh: ['Title (Chinese)', '标题（中文）'],
    title_en: ['Title (English)', '标题（英文）'],
    text_zh: ['Text (Chinese)', '说明（中文）'],
    text_en: ['Text (English)', '说明（英文）'],
    models: ['Affected models', '受影响的模型'],
    modelsHint: ['Type a name and press Enter', '输入名称后按回车'],
    begun: ['Start', '开始时间'],
    ended: ['End', '结束时间'],
    open: ['Not over yet', '尚未结束'],
    save: ['Save', '保存'],
    publish: ['Publish', '发布'],
    over: ['Also ends the incident', '同时结束事件'],
    either: ['One language is enough; readers of the other language see the same text. Anyone can read it.', '只填一种语言也可以，另一种语言的读者会看到同样的文字。所有人都能看到。'],
  },
  running: {
    text: ['An incident of these models was detected automatically and is still going on.', '系统已自动记录这些模型的事件，仍在进行。'],
    open: ['Add an update to it instead', '改为补充进展'],
  },
  problem: {
    title: ['Enter a title in at least one language', '请至少填写一种语言的标题'],
    text: ['Enter the text in at least one language', '请至少填写一种语言的说明'],
    time: ['Not a valid time', '时间格式不正确'],
    order: ['The end must be after the start', '结束时间必须晚于开始时间'],
  },
  done: {
    saved: ['Incident saved', '事件已保存'],
    line: ['Update added', '进展已补充'],
    removed: ['Incident deleted', '事件已删除'],
    removedLine: ['Update deleted', '进展已删除'],
  },
  ask: {
    remove: ['Delete this incident?', '删除这个事件？'],
    removeLine: ['Delete this update?', '删除这条进展？'],
  },
  measuredNote: ['Measured by the system: start and end cannot be edited, and refused calls were not charged. You can add updates.', '系统测得：开始和结束时间不能修改，被拒绝的调用均未扣费。可以补充进展。'],
} satisfies Messages;
