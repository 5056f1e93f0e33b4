/** Actions on prices, suppliers and admin keys. */
export default {
  supplier: {
    create: '添加供应商',
    change: '修改供应商',
    delete: '删除供应商',
    trust: '修改渠道的信任标记',
    import_bill: '导入供应商账单',
    remove_bill: '删除供应商账单',
  },
  price_draft: {
    create: '新建价格草稿',
    change: '修改价格草稿',
    schedule: '安排发布价格',
    withdraw: '撤回价格草稿',
    not_published: '价格未按时发布',
  },
  price_list: {
    import: '导入价格表',
  },
  admin_key: {
    create: '创建管理密钥',
    revoke: '吊销管理密钥',
  },
  rerating: {
    create: '重新计价试算',
    apply: '执行重新计价',
    undo: '撤销重新计价',
    discard: '放弃重新计价',
    export: '导出重新计价',
  },
};
