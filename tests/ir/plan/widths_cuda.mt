; run: --emit plan  ; error: CUDA lowering requires one vector width, got: 128, 256
kernel widths(x: ptr<f32>) layout=lane {
    %0 = arange {start=0, end=128} : vector<128 x i32>
    %1 = addptr x, %0 : vector<128 x ptr<f32>>
    store %1, 1.0, none
    %2 = arange {start=0, end=256} : vector<256 x i32>
    %3 = addptr x, %2 : vector<256 x ptr<f32>>
    store %3, 2.0, none
}
