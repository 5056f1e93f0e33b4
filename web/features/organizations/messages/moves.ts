/** Words of the money that moves between balances. */
import type { Messages } from '#web/i18n/rows.ts';

export default {
  title: ['Balance transfers', '余额划转'],
  text: ['Money from your own balance arrives at once; money out of the organization moves once another owner accepts.', '从个人余额转入立即到账；从组织转出须另一位所有者同意。'],
  amount: ['Amount', '金额'],
  in: {
    open: ['Move money in…', '转入…'],
    of: ['From {{name}}', '来自 {{name}}'],
    title: ['Move money into the organization', '转入组织'],
    text: ['From your personal balance. The money then belongs to the organization, and its owners decide how it is used.', '从你的个人余额转入。转入后归组织所有，由所有者支配。'],
    submit: ['Move', '转入'],
  },
  out: {
    open: ['Move money out…', '转出…'],
    of: ['To {{name}}', '转给 {{name}}'],
    title: ['Move money out of the organization', '从组织转出'],
    text: ["To a member's balance. Another owner has to accept first; a sole owner moves it at once. Holds of running calls and amounts granted on top of budgets cannot be moved.", '转到成员的个人余额，须先由另一位所有者同意；只有一位所有者时立即转出。进行中的调用预扣的和已额外批准给预算的部分不能转出。'],
    to: ['To', '收款方'],
    member: ['A member', '成员'],
    organization: ['Another organization of yours', '你的其他组织'],
    reason: ['Reason', '原因'],
    submit: ['Request', '申请'],
    asked: ['Request sent. Another owner must accept it.', '已申请，等待另一位所有者同意。'],
  },
  accept: ['Accept', '同意'],
  decline: ['Decline', '拒绝'],
  withdraw: ['Withdraw', '撤回'],
  done: ['Money moved', '已划转'],
  declined: ['Declined', '已拒绝'],
  status: {
    open: ['Waiting for an owner; requested by {{name}}', '等待所有者同意（{{name}} 申请）'],
    done: ['Moved; accepted by {{name}}', '已划转（{{name}} 同意）'],
    declined: ['Declined by {{name}}', '已被 {{name}} 拒绝'],
  },
  problem: { amount: ['Enter an amount', '请填写金额'], to: ['Choose who gets it', '请选择收款方'] },
} satisfies Messages;
