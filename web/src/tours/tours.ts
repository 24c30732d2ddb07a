export interface Tour { id: string; title: string }
export const TOURS: Tour[] = [];
