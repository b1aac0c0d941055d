; run: --emit plan
; One thread tries, all learn what it found; the next try waits until they have.
kernel locked(lock: ptr<i32>, x: ptr<f32>) {
    %0 = arange {start=0, end=64} : vector<64 x i32>
    %1 = addptr x, %0 : vector<64 x ptr<f32>>
    while {
        %2 = atomic_cas lock, 0, 1 : i32
        %3 = cmp_ne %2, 0 : bool
        condition %3
    }
    %4 = load %1, none, none : vector<64 x f32>
    %5 = add %4, 1.0 : vector<64 x f32>
    store %1, %5, none
    %6 = atomic_rmw lock, 0, none {rmw=xchg} : i32
}
; ---
lane layout: 64 threads, one lane each
once 0: i32
%0 = arange {start=0, end=64} : vector<64 x i32>
%1 = addptr x, %0 : vector<64 x ptr<f32>>
while {
    barrier
    %2 = atomic_cas lock, 0, 1 : i32  ; thread 0 only, then in once 0
    %3 = cmp_ne %2, 0 : bool
    condition %3
}
%4 = load %1, none, none : vector<64 x f32>
%5 = add %4, 1.0 : vector<64 x f32>
store %1, %5, none
barrier
%6 = atomic_rmw lock, 0, none {rmw=xchg} : i32  ; thread 0 only

