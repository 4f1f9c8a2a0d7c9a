local free_silently = free
local function free(lock, fence)
  free_silently(lock, fence)
  announce(lock)
end

