/** Words of the money that moves between balances. */
import type { Messages } from '#web/i18n/rows.ts';

export default {
  title: ['Moved between balances', '余额划转'],
  text: ['From your own balance at once; out of the organization once another owner accepts it.', '从个人余额转入立即到账；从组织转出须另一位所有者同意。'],
  amount: ['Amount', '金额'],
  in: {
    open: ['Move money in…', '转入…'],
    of: ['From {{name}}', '来自 {{name}}'],
    title: ['Move money into the organization', '转入组织'],
    text: ['From your personal balance. It belongs to the organization then, and its owners decide about it.', '从你的个人余额转入。转入后归组织所有，由所有者支配。'],
    submit: ['Move', '转入'],
  },
  out: {
    open: ['Move money out…', '转出…'],
    of: ['To {{name}}', '转给 {{name}}'],
    title: ['Move money out of the organization', '从组织转出'],
    text: ['To the balance of a member. Another owner accepts it first; the only owner moves it at once. What running calls hold, and what was granted on top of budgets, stays.', '转到成员的个人余额，须先由另一位所有者同意；只有一位所有者时立即转出。进行中的调用预扣的和已额外批准给预算的部分不能转出。'],
    to: ['To', '收款方'],
    member: ['A member', '成员'],
    organization: ['Another organization of yours', '你的其他组织'],
    reason: ['Reason', '原因'],
    submit: ['Ask', '申请'],
    asked: ['Asked. Another owner must accept it.', '已申请，等待另一位所有者同意。'],
  },
  accept: ['Accept', '同意'],
  decline: ['Decline', '拒绝'],
  withdraw: ['Withdraw', '撤回'],
  done: ['The money is moved', '已划转'],
  declined: ['Declined', '已拒绝'],
  status: {
    open: ['Waits for an owner; asked by {{name}}', '等待所有者同意（{{name}} 申请）'],
    done: ['Moved; accepted by {{name}}', '已划转（{{name}} 同意）'],
    declined: ['Declined by {{name}}', '已被 {{name}} 拒绝'],
  },
  problem: { amount: ['Enter an amount', '请填写金额'], to: ['Choose who gets it', '请选择收款方'] },
} satisfies Messages;
