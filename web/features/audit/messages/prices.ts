/** Actions on prices, suppliers and admin keys. */
import type { Messages } from '#web/i18n/rows.ts';

export default {
  supplier: {
    create: ['Supplier added', '添加供应商'],
    change: ['Supplier changed', '修改供应商'],
    delete: ['Supplier deleted', '删除供应商'],
    trust: ['Trust in a channel changed', '修改渠道的信任标记'],
    import_bill: ["Supplier's bill imported", '导入供应商账单'],
    remove_bill: ["Supplier's bill removed", '删除供应商账单'],
  },
  virtual_model: {
    create: ['Virtual model added', '添加虚拟模型'],
    change: ['Virtual model changed', '修改虚拟模型'],
    delete: ['Virtual model deleted', '删除虚拟模型'],
  },
  answer_cache: { purge: ['Cached answers removed', '清除缓存的回答'] },
  shadow: {
    create: ['Comparison added', '添加对比'],
    change: ['Comparison changed', '修改对比'],
    delete: ['Comparison deleted', '删除对比'],
    delete_samples: ['Samples deleted', '删除样本'],
    read_texts: ['Prompts and answers read', '查看提示词与回答'],
  },
  price_draft: {
    create: ['Price draft created', '新建价格草稿'],
    change: ['Price draft changed', '修改价格草稿'],
    schedule: ['Prices scheduled', '安排发布价格'],
    withdraw: ['Price draft withdrawn', '撤回价格草稿'],
    not_published: ['Prices not published', '价格未按时发布'],
  },
  price_version: {
    publish: ['Prices published', '发布价格'],
    rollback: ['Prices rolled back', '回退价格'],
  },
  price_proposal: { accept: ['Price proposal accepted', '采纳价格建议'], refuse: ['Price proposal refused', '拒绝价格建议'] },
  price_list: { import: ['Price list imported', '导入价格表'] },
  admin_key: { create: ['Admin key created', '创建管理密钥'], revoke: ['Admin key revoked', '吊销管理密钥'] },
  rerating: {
    create: ['Re-rating tried', '重新计价试算'],
    apply: ['Re-rating applied', '执行重新计价'],
    undo: ['Re-rating undone', '撤销重新计价'],
    discard: ['Re-rating discarded', '放弃重新计价'],
    export: ['Re-rating exported', '导出重新计价'],
  },
} satisfies Messages;
