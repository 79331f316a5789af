// Explanations of the numbers of Overview: their script comes with the dialog.
export const plainNumbers = () => import('../../reports/plain-numbers');
