/** The programs that lie in the folder that the server was started in, or in another one. */

import { useQuery } from "@tanstack/react-query";

import { api, got } from "@/api/client";
import type { FoundPrograms } from "@/api/schema";

/** What was found; undefined until it is known, and where the folder cannot be looked through. */
export function usePrograms(folder: string): FoundPrograms | undefined {
  const query = folder === "" ? {} : { folder };
  const { data } = useQuery({
    queryKey: ["programs", folder],
    queryFn: () => got(api.GET("/api/programs", { params: { query } })),
    retry: false,
  });
  return data;
}
