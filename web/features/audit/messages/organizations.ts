/** Actions on organizations. */
export default {
  organization: {
    create: ['Organization created', '创建组织'],
    change: ['Organization changed', '修改组织'],
    change_company: ['Company data changed', '修改公司信息'],
    delete: ['Organization deleted', '删除组织'],
    invite: ['Member invited', '邀请成员'],
    resend_invitation: ['Invitation sent again', '重新发送邀请'],
    revoke_invitation: ['Invitation revoked', '撤销邀请'],
    accept: ['Invitation accepted', '接受邀请'],
    decline: ['Invitation declined', '拒绝邀请'],
    change_role: ['Role changed', '修改成员角色'],
    change_tags: ['Tags of the organization changed', '修改组织的标签'],
    remove_member: ['Member removed', '移除成员'],
    leave: ['Organization left', '退出组织'],
    move_in: ['Money moved into the organization', '划转到组织'],
    move_ask: ['Money asked to be moved out', '申请从组织划出'],
    move_accept: ['Move of money accepted', '同意从组织划出'],
    move_decline: ['Move of money declined', '拒绝从组织划出'],
    offer_ownership: ['Ownership offered', '提出移交所有权'],
    withdraw_ownership: ['Offer of ownership withdrawn', '撤回所有权移交'],
    accept_ownership: ['Ownership accepted', '接受所有权'],
    suspend: ['Organization suspended', '停用组织'],
    lift: ["Organization's suspension lifted", '恢复组织'],
    set_group: ["Organization's group set", '设置组织分组'],
    add_owner: ['Owner added by an administrator', '管理员添加所有者'],
    balance: ["Organization's balance adjusted", '调整组织余额'],
  },
  budget: {
    create: ['Budget created', '创建预算'],
    change: ['Budget changed', '修改预算'],
    delete: ['Budget deleted', '删除预算'],
    ask: ['More of a budget asked for', '申请更多预算'],
    grant: ['Request for more granted', '批准预算申请'],
    decline: ['Request for more declined', '拒绝预算申请'],
  },
  project: {
    create: ['Project created', '创建项目'],
    change: ['Project changed', '修改项目'],
    archive: ['Project archived', '归档项目'],
  },
  service_account: {
    create: ['Service account created', '创建服务账号'],
    delete: ['Service account deleted', '删除服务账号'],
  },
} satisfies Record<string, Record<string, [string, string]>>;

/** Of a member; `role` has those of a user of the site. */
export const memberRoles = {
  owner: ['Owner', '所有者'],
  admin: ['Admin', '管理员'],
  billing: ['Billing', '财务'],
  member: ['Member', '成员'],
  viewer: ['Viewer', '只读'],
} satisfies Record<string, [string, string]>;
