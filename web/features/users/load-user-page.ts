/** The page of one user is a part of its own; the list loads it while one reads. */
export const loadUserPage = () => import('./user-page/page.tsx');
