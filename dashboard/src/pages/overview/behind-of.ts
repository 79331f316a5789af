/** Words of the numbers of Overview. */
export const behindOf = () => import('../../explained/overview');
