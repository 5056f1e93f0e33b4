/** Actions on users. */
import type { Messages } from '#web/i18n/rows.ts';

export default {
  register: ['Registered', '注册'],
  register_refused: ['Registration refused', '注册被拒绝'],
  create: ['User added', '添加用户'],
  change: ['User changed', '修改用户'],
  rename: ['Display name changed', '修改显示名称'],
  password: ['Password changed', '修改密码'],
  shadow_consent: ['Consent to copies of calls changed', '修改是否允许复制调用'],
  set_password: ["User's password set", '设置用户密码'],
  quota: ['Quota adjusted', '调整额度'],
  promote: ['Promoted to admin', '提升为管理员'],
  demote: ['Demoted to user', '降级为普通用户'],
  disable: ['User disabled', '禁用用户'],
  enable: ['User enabled', '启用用户'],
  delete: ['User deleted', '删除用户'],
  leave: ['Own account deleted', '删除自己的账户'],
  lift: ['Suspension lifted', '解除系统停用'],
  email: ['Email linked', '绑定邮箱'],
  bind: ['Third-party account linked', '绑定第三方账户'],
  unbind: ['Third-party account unlinked', '解绑第三方账户'],
  access_token: ['Access token generated', '生成系统访问令牌'],
  aff_transfer: ['Invite earnings transferred', '划转邀请额度'],
  reset_two_factor: ["User's two-factor reset", '重置两步验证'],
} satisfies Messages;
