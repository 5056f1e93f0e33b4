// Proofs by many kills, by hundreds of broken books and by passwords at their real cost. CI runs them, and so does
// `npm run test:chaos`; `npm test` without CI leaves them out. What remains there of their kind is shorter: ledger/crash and chaos/kill
// kill under load, ledger/invariants and ledger/audit break the books in a few ways, security/comparisons measures secrets.
export const slowProofs = new RegExp(
  [
    String.raw`money/ledger/(corruption|failpoints|spool-kills)`,
    String.raw`money/(payments|redemptions|rerating)/kill`,
    String.raw`platform/security/(audit-kill|timing)`,
    String.raw`app/(demo|executable)`,
  ]
    .map((name) => String.raw`^tests/integration/${name}\.test\.`)
    .join('|'),
);
