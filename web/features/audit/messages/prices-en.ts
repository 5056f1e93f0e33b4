/** Actions on prices, suppliers and admin keys. */
export default {
  supplier: {
    create: 'Supplier added',
    change: 'Supplier changed',
    delete: 'Supplier deleted',
    trust: 'Trust in a channel changed',
    import_bill: "Supplier's bill imported",
    remove_bill: "Supplier's bill removed",
  },
  price_draft: {
    create: 'Price draft created',
    change: 'Price draft changed',
    schedule: 'Prices scheduled',
    withdraw: 'Price draft withdrawn',
    not_published: 'Prices not published',
  },
  price_list: {
    import: 'Price list imported',
  },
  admin_key: {
    create: 'Admin key created',
    revoke: 'Admin key revoked',
  },
  rerating: {
    create: 'Re-rating tried',
    apply: 'Re-rating applied',
    undo: 'Re-rating undone',
    discard: 'Re-rating discarded',
    export: 'Re-rating exported',
  },
};
