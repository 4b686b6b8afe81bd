/** To whom a person is about to send a message, so that a component anywhere can open the form in Pending. */

import { create } from "zustand";

interface Sending {
  run: string;
  /** The recipient; null while nothing is being sent. */
  to: string | null;
  begin: (run: string, to: string) => void;
  end: () => void;
}

export const useSending = create<Sending>()((set) => ({
  run: "",
  to: null,
  begin: (run, to) => set({ run, to }),
  end: () => set({ to: null }),
}));
