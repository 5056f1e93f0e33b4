// What calls cost the operator (ADR 70).
export { buyPriceOf, openCostBook, type BoughtCall, type CostBook } from './cost-book.ts';
